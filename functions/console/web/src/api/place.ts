/** The path before `/console`, such as `/v1` of a stage. The APIs are below it. */
export const prefix = location.pathname.replace(/\/console\/?$/, "");
