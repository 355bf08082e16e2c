const api = {
  get(): void {},
  post: () => {
    api.get();
  },
};

api.post();
