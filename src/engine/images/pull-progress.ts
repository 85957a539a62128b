/** The progress of one layer, in docker's words. */
export interface PullProgress {
  /** The first digits of the layer's digest. */
  readonly id: string;
  readonly status:
    | "Pulling fs layer"
    | "Waiting"
    | "Downloading"
    | "Verifying Checksum"
    | "Download complete"
    | "Extracting"
    | "Pull complete"
    | "Already exists";
  /** In bytes, with `total`, while it is downloaded or extracted. */
  readonly current?: number | undefined;
  readonly total?: number | undefined;
}
