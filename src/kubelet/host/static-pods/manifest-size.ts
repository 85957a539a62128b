/** The size of a manifest at most. */
export const mostManifestBytes = 10 * 1024 * 1024;

/** What is wrong with a larger one, in upstream's words. */
export const tooLarge = "the read limit is reached";
