import { formatTime, timeFromMillis } from "../../../schema/values/time.ts";

/** The config map with the day since which the use of tokens in secrets is recorded, under `since`. */
export const legacyTokenTrackingKey = {
  namespace: "kube-system",
  name: "kube-apiserver-legacy-service-account-token-tracking",
};

/** The label with the day on which a token was last used. */
export const lastUsedLabel = "kubernetes.io/legacy-token-last-used";
/** The label with the day since which a token is invalid. */
export const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/** The day of a time, as these labels and the config map have it: `2026-01-31`. */
export const dayOf = (ms: number): string =>
  formatTime(timeFromMillis(ms)).slice(0, "2026-01-01".length);

/** Whether a text is such a day. */
export const isDay = (text: string): boolean =>
  dayPattern.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
