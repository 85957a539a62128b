import { type Cidr, masked, parseCidr } from "../../schema/values/ip.ts";
import { quote } from "../../schema/values/quote.ts";
import { controllerModule } from "../controller-module.ts";
import { stringSetting } from "../controller-setting.ts";
import { serviceLbController } from "./service-lb-controller.ts";

export const serviceLbModule = controllerModule({
  name: "service-lb-controller",
  aliases: ["service"],
  account: "service-controller",
  settings: {
    ranges: stringSetting({
      flag: "load-balancer-range",
      usage:
        "the range of addresses for services of type LoadBalancer, or one of each IP family, separated by a comma; without it they get none",
      default: "",
    }),
  },
  create: ({ ranges }) =>
    ranges === "" ? undefined : { run: [serviceLbController(parseRanges(ranges))] },
});

/** Parses a range, or one of each family. */
function parseRanges(text: string): readonly Cidr[] {
  const ranges = text.split(",").map((one) => {
    const range = parseCidr(one);
    if (!range) throw new Error(`invalid --load-balancer-range: ${quote(one)} is not a range`);
    return masked(range);
  });
  const [first, second, third] = ranges;
  if (third || (second && first?.ip.version === second.ip.version))
    throw new Error("invalid --load-balancer-range: give at most one range of each IP family");
  return ranges;
}
