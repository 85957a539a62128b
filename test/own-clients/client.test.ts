import { clientSuite } from "../../src/client/suite/client-suite.ts";
import { clientHarness, inProcess, over } from "./client-harness.test-support.ts";

clientSuite("in process", () => clientHarness(inProcess));
clientSuite("HTTP/1.1", () => clientHarness(over("http/1.1")));
clientSuite("HTTP/2", () => clientHarness(over("h2")));
