const perLine = 16;

/** Formats bytes as `hexdump -C` does: offset, hexadecimal and ASCII. */
export function hexDump(bytes: Uint8Array): string {
  let lines = "";
  for (let at = 0; at < bytes.length; at += perLine) {
    const part = [...bytes.subarray(at, at + perLine)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0"));
    const halves = `${hex.slice(0, 8).join(" ")}  ${hex.slice(8).join(" ")}`;
    const text = part.map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".",
    );
    lines += `${at.toString(16).padStart(8, "0")}  ${halves.padEnd(48)}  |${text.join("")}|\n`;
  }
  return lines;
}
