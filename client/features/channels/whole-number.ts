/** Whether the text is a whole number that a priority or a weight may be, `least` or more. */
export const isWhole = (text: string, least: number): boolean =>
  /^-?\d{1,7}$/.test(text.trim()) && Number(text) >= least && Number(text) <= 1_000_000
