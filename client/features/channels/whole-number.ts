/** Whether the text is a whole number valid as a priority or weight, `least` or more. */
export const isWhole = (text: string, least: number): boolean =>
  /^-?\d{1,7}$/.test(text.trim()) && Number(text) >= least && Number(text) <= 1_000_000
