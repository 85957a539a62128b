// Services: how fast they are programmed, and what they cost. npm run bench network [programming|proxies]
// With the path of upstream's kube-proxy in KUBE_PROXY, it is measured in the same run.
import { runInNamespace } from "../../scripts/proofs/proxy-crash/crash-namespaces.ts";
import { measureProgramming } from "./programming.ts";
import { measureProxies } from "./proxies.ts";

const [inside, ...parts] = process.argv.slice(2);
if (inside !== "inside") runInNamespace(["inside", ...process.argv.slice(2)]);
const wants = (part: string): boolean => parts.length === 0 || parts.includes(part);
if (wants("programming")) await measureProgramming();
if (wants("proxies")) await measureProxies(process.env.KUBE_PROXY);
process.exit();
