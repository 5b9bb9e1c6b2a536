/**
 * Why a request is given up whose answer nobody wants any more. One for all, made here: a reason that `abort()` makes by itself remembers the
 * calls that led to it, and with them the page that was left, which leads to the one before.
 */
export const notWanted = new DOMException('Nobody wants the answer any more.', 'AbortError')
