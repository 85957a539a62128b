/** The text of a body, which may have at most so many bytes. */
export async function readBodyText(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > limit) throw new Error(`the response is larger than ${limit} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
