/** Ctrl or Cmd with Enter always sends; plain Enter when it is set to; Shift never. */
export function isSendKey(event: Pick<KeyboardEvent, 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>, enterSends: boolean): boolean {
  if (event.ctrlKey || event.metaKey) return true
  return enterSends && !event.shiftKey && !event.altKey
}
