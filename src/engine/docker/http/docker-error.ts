/** A rejected request: its status and the message that the client prints. */
export class DockerError extends Error {
  override readonly name = "DockerError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export const badRequest = (message: string): DockerError => new DockerError(400, message);
export const notFound = (message: string): DockerError => new DockerError(404, message);
export const conflict = (message: string): DockerError => new DockerError(409, message);
/** The object is in the wanted state already: a response without a body. */
export const notModified = (): DockerError => new DockerError(304, "");
