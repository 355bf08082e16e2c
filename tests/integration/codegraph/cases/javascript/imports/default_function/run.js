export default function start() {}
