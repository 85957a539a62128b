import { gadget } from "./gadget.test-support.ts";
import { testPatchProperties } from "./patch-properties.test-support.ts";

testPatchProperties("Gadget", gadget, 4000);
