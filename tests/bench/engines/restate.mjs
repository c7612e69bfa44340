// The service of Restate: each flow as a handler that records every step, and as one that records none.
import { createServer } from "node:http2";
import * as restate from "@restatedev/restate-sdk";
import { flows } from "./steps.mjs";

const handlers = (step) =>
  Object.fromEntries(
    Object.entries(flows).map(([name, flow]) => [name, (ctx, input) => flow(input, step(ctx))]),
  );
const recorded = restate.service({
  name: "recorded",
  handlers: handlers((ctx) => (name, execute) => ctx.run(name, execute)),
});
const plain = restate.service({ name: "plain", handlers: handlers(() => (_, execute) => execute()) });

// On loopback only, which `restate.serve` does not offer.
const endpoint = restate.createEndpointHandler({ services: [recorded, plain] });
createServer(endpoint).listen(Number(process.env.PORT), "127.0.0.1");
