/** JSON text indented for reading; text that is not JSON comes back unchanged with `valid` false. Empty text counts as `{}`. */
export function prettyJson(text: string): { text: string; valid: boolean } {
  try {
    return { text: JSON.stringify(JSON.parse(text || '{}'), null, 2), valid: true }
  } catch {
    return { text, valid: false }
  }
}
