const nameRest = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const hostPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const host = String.raw`(?:${hostPart}(?:\.${hostPart})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`;
const tag = String.raw`\w[\w.-]{0,127}`;
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";

const reference = new RegExp(
  `^(?:${host}/)?${nameRest}(?:/${nameRest})*(?::${tag})?(?:@${digest})?$`,
);

/** Whether a text names an image: a name with an optional registry, tag and digest. */
export const isImageReference = (text: string): boolean => reference.test(text);
