/** Copying text to the clipboard, and saving it as a file. */

/**
 * Copies text and resolves with whether it worked. Over plain HTTP the browser has no clipboard API, so a selected text field
 * is copied.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'hidden-text'
  // Inside an open dialog, or its focus trap would take the focus back before the copy.
  const place = before?.closest('[role=dialog]') ?? document.body
  place.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}

/** Lets the browser save `text` as a file called `name`. */
export function downloadFile(name: string, text: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
