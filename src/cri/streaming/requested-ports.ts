/** The ports that the query of a WebSocket client names; a text if they are invalid. */
export function requestedPorts(values: readonly string[]): readonly number[] | string {
  if (values.length === 0) return 'query parameter "port" is required';
  const ports: number[] = [];
  for (const value of values) {
    if (value === "") return 'query parameter "port" cannot be empty';
    for (const text of value.split(",")) {
      const quoted = JSON.stringify(text);
      if (!/^\d+$/.test(text))
        return `unable to parse ${JSON.stringify(value)} as a port: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
      const port = Number(text);
      if (port > 65_535)
        return `unable to parse ${JSON.stringify(value)} as a port: strconv.ParseUint: parsing ${quoted}: value out of range`;
      if (port < 1) return `port ${JSON.stringify(value)} must be > 0`;
      ports.push(port);
    }
  }
  return ports;
}
