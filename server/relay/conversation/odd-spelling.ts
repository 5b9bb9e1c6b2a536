/** Spellings that some upstreams of the Chat dialect do not accept. Pure. */

const foreignCallId = /"tool_call_id"\s*:\s*"(?![A-Za-z0-9]{9}")/

/** Whether a Chat body has tool call ids that are not nine letters or digits, or the newer name of the output limit. */
export const isOddlySpelled = (raw: string): boolean => foreignCallId.test(raw) || raw.includes('"max_completion_tokens"')
