// The transport of the SDKs. All of them speak TLS through `tls.connect`, so this replaces it by a connection to a server of
// this process, which prints the first request of each call and answers with an empty object.
import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout } from "node:timers/promises";

let current;

function print(call, fields) {
    if (!call.sent) console.log(`sent ${JSON.stringify({ index: call.index, ...fields })}`);
    call.sent = true;
    call.resolve();
}

const server = http.createServer(async (request, response) => {
    const call = current;
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    print(call, { method: request.method, url: `https://${request.headers.host}${request.url}`, headers: request.headers, body });
    response.writeHead(200, { "content-type": "application/json", connection: "close" }).end("{}");
});
await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));

tls.connect = (...args) => {
    const socket = net.connect(server.address().port, "127.0.0.1");
    socket.once("connect", () => socket.emit("secureConnect"));
    const callback = args.find(it => typeof it === "function");
    if (callback) socket.once("secureConnect", callback);
    return socket;
};
syncBuiltinESMExports();
// SDKs also fail in callbacks when they read the empty answer.
process.on("uncaughtException", () => {});

export async function call(index, send) {
    const { promise, resolve } = Promise.withResolvers();
    const call = { index, sent: false, resolve };
    current = call;
    // What an SDK thinks of the empty answer is no matter, and some of them wait for ever.
    const answered = Promise.resolve().then(send).catch(error => print(call, { error: String(error) }));
    await Promise.race([answered, promise.then(() => setTimeout(100))]);
    print(call, { error: "nothing is sent" });
}

export const finish = () => process.exit();
export const untyped = value => value;
export const item = value => value;
export const check = () => {};
