start();

function start() {
  finish();
}

function finish() {}
