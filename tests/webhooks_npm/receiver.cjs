// `node receiver.cjs SECRET`: verifies webhooks with the npm package and prints a line for each: its id and document.
// The first line is the port; a message that cannot be verified prints "forged".
const http = require("node:http");
const { Webhook } = require("standardwebhooks");

const webhook = new Webhook(process.argv[2]);
const server = http.createServer((request, response) => {
  const pieces = [];
  request.on("error", () => {});
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    try {
      const document = webhook.verify(Buffer.concat(pieces).toString(), request.headers);
      process.stdout.write(`${request.headers["webhook-id"]} ${JSON.stringify(document)}\n`);
      response.statusCode = 204;
    } catch {
      process.stdout.write("forged\n");
      response.statusCode = 401;
    }
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
