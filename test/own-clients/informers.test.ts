import { afterAll, beforeAll } from "vitest";
import { informerSuite } from "../../src/client/suite/informer-suite.ts";
import { type HttpPort, httpPort } from "./http-informer-world.test-support.ts";
import { inProcessWorld } from "./informer-world.test-support.ts";

let port: HttpPort;
beforeAll(async () => {
  port = await httpPort();
});
afterAll(() => port.close());

informerSuite("in process", inProcessWorld);
informerSuite("over HTTP", () => port.world());
