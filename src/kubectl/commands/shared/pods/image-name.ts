/** Whether a text can be the name of an image, with a registry, a tag and a digest if it has them. */
export const isImageName = (text: string): boolean => reference.test(text);

const part = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:${part}(?:\\.${part})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const tag = "[\\w][\\w.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const reference = new RegExp(
  `^(?:${host}/)?${component}(?:/${component})*(?::${tag})?(?:@${digest})?$`,
);
