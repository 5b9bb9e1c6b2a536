/** Normalises diagrams as models write them for the rendering library. */

/** The first word of a flowchart, after comments. */
const flowchart = /^(?:\s|%%.*\n)*(?:graph|flowchart)\b/

/** Quoted texts and labels, whose semicolons are literal, and every other semicolon. */
const labelsAndEnds = /("[^"\n]*"|\[[^\]\n]*\]|\([^)\n]*\)|\{[^}\n]*\}|\|[^|\n]*\|)|;[ \t]*/g

/** The code without front matter; a flowchart with one statement a line, and with a direction. */
export function plainSource(source: string): string {
  const code = source.replace(/^\s*---\n[\s\S]*?\n---\n/, '')
  if (!flowchart.test(code)) return code
  return code.replace(labelsAndEnds, (_, label?: string) => label ?? '\n').replace(/^([ \t]*(?:graph|flowchart))[ \t]*$/m, '$1 TB')
}
