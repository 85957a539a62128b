import { bool, field, message, repeated, text } from "../../../base/protobuf-message.ts";
import { serviceMethods } from "./plugin-client.ts";

// The service by which plugins introduce themselves, with upstream's names and numbers.

const InfoRequest = message({});
const PluginInfo = message({
  type: field(1, text),
  name: field(2, text),
  endpoint: field(3, text),
  supported_versions: repeated(4, text),
});
const RegistrationStatus = message({
  plugin_registered: field(1, bool),
  error: field(2, text),
});
const RegistrationStatusResponse = message({});

const method = serviceMethods("pluginregistration.Registration");

/** The methods of a plugin that registers itself. */
export const registrationMethods = {
  getInfo: method("GetInfo", InfoRequest, PluginInfo),
  notifyRegistrationStatus: method(
    "NotifyRegistrationStatus",
    RegistrationStatus,
    RegistrationStatusResponse,
  ),
};
