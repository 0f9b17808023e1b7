/** As much of Redis's protocol as counting takes: a number or a word answers each command, in order. */
const { connect } = require("node:net");

/** @returns {(...words: string[]) => Promise<number | string>} */
function redis({ host, port, password }) {
  const socket = connect(port, host);
  const waiting = [];
  let text = "";
  const fail = (error) => waiting.splice(0).forEach(({ reject }) => reject(error));
  socket
    .setNoDelay(true)
    .on("error", fail)
    .on("close", () => fail(new Error("Redis is gone")));
  socket.on("data", (data) => {
    const lines = (text + data).split("\r\n");
    text = lines.pop();
    for (const line of lines) settle(waiting.shift(), line);
  });
  const ask = (...words) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`);
    });
  if (password) ask("AUTH", password).catch(() => socket.destroy());
  return ask;
}

function settle({ resolve, reject }, line) {
  if (line.startsWith("-")) return reject(new Error(line.slice(1)));
  return resolve(line.startsWith(":") ? Number(line.slice(1)) : line.slice(1));
}

module.exports = { redis };
