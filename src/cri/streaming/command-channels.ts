/** The channels of a command on a WebSocket. */
export const commandChannels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
