import type { Environment } from "../program/kubectl-command.ts";

/** Texts in another language, by the English ones. */
export type Catalogue = Readonly<Record<string, string>>;

/** Writes a text in the language of the user; in English where it is not translated. */
export type Translate = (text: string) => string;

/** Loads what is translated to the language that the environment names. */
export async function loadTranslation(env: Environment): Promise<Translate> {
  const language = languageOf(env);
  if (!Object.hasOwn(catalogues, language)) return (text) => text;
  const catalogue = await catalogues[language]?.();
  if (!catalogue) return (text) => text;
  return (text) => (Object.hasOwn(catalogue, text) ? (catalogue[text] ?? text) : text);
}

/** The language of a locale such as `de_DE.UTF-8`; as in the original, one without an encoding counts as none. */
function languageOf({ LC_ALL, LC_MESSAGES, LANG }: Environment): string {
  const [language = "", ...encoding] = (LC_ALL || LC_MESSAGES || LANG || "").split(".");
  return encoding.length === 1 ? language : "";
}

const catalogues: Readonly<Record<string, () => Promise<Catalogue>>> = {
  de_DE: async () => (await import("./de-de.ts")).deDE,
  fr_FR: async () => (await import("./fr-fr.ts")).frFR,
  it_IT: async () => (await import("./it-it.ts")).itIT,
  ja_JP: async () => (await import("./ja-jp.ts")).jaJP,
  ko_KR: async () => (await import("./ko-kr.ts")).koKR,
  pt_BR: async () => (await import("./pt-br.ts")).ptBR,
  zh_CN: async () => (await import("./zh-cn.ts")).zhCN,
  zh_TW: async () => (await import("./zh-tw.ts")).zhTW,
};
