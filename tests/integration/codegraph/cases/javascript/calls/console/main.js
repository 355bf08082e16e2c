console.log(JSON.stringify({}));
setTimeout(() => {}, 1);
