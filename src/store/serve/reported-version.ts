/** The version of etcd whose API is served; from 3.4.31 on, clients rely on watch progress that is never ahead of events. */
export const reportedVersion = "3.4.31";
