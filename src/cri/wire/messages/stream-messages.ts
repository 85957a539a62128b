import {
  bool,
  bytes,
  field,
  int,
  message,
  repeated,
  text,
} from "../../../base/protobuf-message.ts";

// Commands and streams: messages of CRI v1 with upstream's names and numbers.

export const ExecSyncRequest = message({
  container_id: field(1, text),
  cmd: repeated(2, text),
  timeout: field(3, int),
});
export const ExecSyncResponse = message({
  stdout: field(1, bytes),
  stderr: field(2, bytes),
  exit_code: field(3, int),
});
export const ExecRequest = message({
  container_id: field(1, text),
  cmd: repeated(2, text),
  tty: field(3, bool),
  stdin: field(4, bool),
  stdout: field(5, bool),
  stderr: field(6, bool),
});
export const ExecResponse = message({ url: field(1, text) });
export const AttachRequest = message({
  container_id: field(1, text),
  stdin: field(2, bool),
  tty: field(3, bool),
  stdout: field(4, bool),
  stderr: field(5, bool),
});
export const AttachResponse = message({ url: field(1, text) });
export const PortForwardRequest = message({
  pod_sandbox_id: field(1, text),
  port: repeated(2, int),
});
export const PortForwardResponse = message({ url: field(1, text) });
