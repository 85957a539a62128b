/** JSON as Go's encoder writes it: what could be taken for HTML is escaped. */
export function goJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return marks.test(text) ? text.replace(everyMark, escaped) : text;
}

const marks = /[<>&\u2028\u2029]/;
const everyMark = new RegExp(marks, "g");
const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
