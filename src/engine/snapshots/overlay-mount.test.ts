import { expect, test } from "vitest";
import { mountPoints, overlayOptions } from "./overlay-mount.ts";

test("overlayOptions: the first lower folder is the topmost; without an upper one nothing can be written", () => {
  expect(overlayOptions({ lower: ["l/1", "l/0"], upper: { upper: "u", work: "w" } })).toBe(
    "lowerdir=l/1:l/0,upperdir=u,workdir=w,index=off,metacopy=off,redirect_dir=nofollow",
  );
  expect(overlayOptions({ lower: ["l/1", "l/0"] })).toBe(
    "lowerdir=l/1:l/0,index=off,metacopy=off,redirect_dir=nofollow",
  );
});

test("mountPoints: reads mountinfo, in which spaces are escaped", () => {
  const mountinfo = [
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "59 27 0:50 / /tmp/a\\040b\\134c rw shared:1 - overlay overlay rw,lowerdir=l/0",
    "",
  ].join("\n");
  expect(mountPoints(mountinfo)).toEqual(["/", "/tmp/a b\\c"]);
});
