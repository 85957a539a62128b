/** The name of the unit of systemd that runs a node. */
export const nodeUnit = "wherry-node.service";

/**
 * A unit of systemd that runs a command and starts it again whenever it ends. Only the agent itself is killed when the
 * unit stops or restarts, so that containers outlive upgrades.
 */
export const nodeService = (command: readonly string[]): string => `[Unit]
Description=Wherry node
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(unitWord).join(" ")}
Restart=always
RestartSec=2
KillMode=process
Delegate=yes
OOMScoreAdjust=-999
LimitNOFILE=1048576
TasksMax=infinity

[Install]
WantedBy=multi-user.target
`;

/** A word of a command line, in which systemd expands nothing. */
function unitWord(word: string): string {
  const escaped = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/.test(escaped)) return escaped;
  const text = escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${text}"`;
}
