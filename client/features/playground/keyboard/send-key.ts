/** Whether Enter with these modifiers sends: always with Ctrl or Cmd, plain when `enterSends` is set, never with Shift. */
export function isSendKey(event: Pick<KeyboardEvent, 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>, enterSends: boolean): boolean {
  if (event.ctrlKey || event.metaKey) return true
  return enterSends && !event.shiftKey && !event.altKey
}
