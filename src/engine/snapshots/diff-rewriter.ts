import type { TarEntry } from "./tar/tar-entry.ts";
import type { TarRewriter } from "./tar/tar-transform.ts";

/**
 * Makes an archive of an overlay's upper folder a layer: devices 0/0 become whiteouts, the attribute of opaque
 * directories becomes a file, and overlay's other attributes are dropped. The root itself is left out, as docker
 * and containerd do.
 */
export const diffRewriter: TarRewriter = {
  rewrite: (entry) => {
    const name = entry.name.replace(/^\.\/?/, "");
    if (name === "") return [];
    if (entry.type === "charDevice" && entry.devMajor === 0 && entry.devMinor === 0)
      return [emptyFile(entry, whiteoutOf(name))];
    const linkName =
      entry.type === "hardLink" ? entry.linkName.replace(/^\.\//, "") : entry.linkName;
    const plain = { ...entry, name, linkName, pax: withoutOverlay(entry.pax) };
    if (entry.type !== "directory" || entry.pax.get(opaqueRecord) !== "y") return [plain];
    return [plain, emptyFile(entry, `${name.replace(/\/$/, "")}/.wh..wh..opq`)];
  },
};

const opaqueRecord = "SCHILY.xattr.trusted.overlay.opaque";

function whiteoutOf(name: string): string {
  const base = name.lastIndexOf("/") + 1;
  return `${name.slice(0, base)}.wh.${name.slice(base)}`;
}

const emptyFile = (entry: TarEntry, name: string): TarEntry => ({
  ...entry,
  name,
  type: "file",
  mode: 0,
  size: 0,
  linkName: "",
  devMajor: 0,
  devMinor: 0,
  pax: new Map(),
});

const withoutOverlay = (pax: TarEntry["pax"]): TarEntry["pax"] =>
  new Map([...pax].filter(([key]) => !key.startsWith("SCHILY.xattr.trusted.overlay.")));
