const api = {
  get() {},
  post: function () {
    this.get();
  },
};

api.post();
