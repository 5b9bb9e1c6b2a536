/** Parsed JSON, by its kind. */

export type JsonObject = Record<string, unknown>

/** Whether a parsed JSON value is an object: neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
