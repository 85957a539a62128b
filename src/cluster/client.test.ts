import { clientSuite } from "../client/client-suite.ts";
import { clientHarness, inProcess, overHttp1 } from "./client-harness.test-support.ts";

clientSuite("in process", () => clientHarness(inProcess));
clientSuite("HTTP/1.1", () => clientHarness(overHttp1));
