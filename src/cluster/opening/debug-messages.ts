/**
 * The debug messages of each source file, by its path below src without extension. A bundle has no files, but messages
 * are constant, so that each tells where it comes from. A test compares this table with the sources.
 */
export const debugMessages: Readonly<Record<string, readonly string[]>> = {
  "apiserver/aggregation/remote-discovery": ["discovery of an API failed"],
  "apiserver/aggregation/remote-openapi": ["OpenAPI of an API could not be fetched"],
  "apiserver/http/http2-session": ["http/2 connection failed"],
  "apiserver/http/listen": ["tls handshake failed"],
  "client/informer/reflector": ["resourceVersion expired, relisting"],
  "cluster/commands/controller-manager/controller-manager": ["flags"],
  "cluster/commands/scheduler/scheduler-command": ["flags"],
  "controller-runtime/election/leader-election": ["the lease has changed, reading it again"],
  "controllers/attachdetach/detach-step": ["a volume is in use again"],
  "controllers/garbagecollector/attempt-to-delete": [
    "according to the absentOwnerCache, item's owner does not exist",
    "classify item's references",
    "deleting item",
    "item not found, generating a virtual delete event",
    "processing item",
    "remove DeleteDependents finalizer for item",
  ],
  "controllers/nodeipam/node-ipam-controller": ["the range of a node is not from this cluster's"],
  "controllers/protection": ["the object is still in use"],
  "controllers/resourceclaim/claim-release-controller": ["deleting an unused claim"],
  "controllers/servicecidrs/service-cidr-controller": ["an address needs the range"],
  "controllers/validatingadmissionpolicystatus/validating-admission-policy-status-controller": [
    "the schema of a kind cannot be read",
  ],
  "controllers/where-served": ["the kind of this controller is not served"],
  "network/dns/forward/forwarder": ["forwarding failed"],
  "scheduler/extenders/extenders": ["extender gave no scores"],
};
