import { clientSuite } from "../client/client-suite.ts";
import { clientHarness, inProcess } from "./client-harness.test-support.ts";
import { overHttp1 } from "./https1-transport.test-support.ts";

clientSuite("in process", () => clientHarness(inProcess));
clientSuite("HTTP/1.1", () => clientHarness(overHttp1));
