const streamNumbers = { stdin: 0, stdout: 1, stderr: 2, systemerr: 3 } as const;

/** Output of one stream in a connection of several: its number, three zeros, the length and the bytes. */
export function frame(stream: keyof typeof streamNumbers, bytes: Uint8Array): Uint8Array {
  const framed = Buffer.alloc(headerLength + bytes.length);
  framed[0] = streamNumbers[stream];
  framed.writeUInt32BE(bytes.length, 4);
  framed.set(bytes, headerLength);
  return framed;
}

const headerLength = 8;
