/**
 * The abort reason for requests whose answer is no longer needed. One shared instance: a reason created by `abort()` itself retains the
 * stack that led to it, and with it the page that was left, which retains the one before.
 */
export const noLongerNeeded = new DOMException('The answer is no longer needed.', 'AbortError')
