/** Finds the titles of the tests in a source file by its syntax tree, without those in comments or of skipped tests. */
import { parseSync } from 'vite'

type Node = { type: string } & Record<string, unknown>

/** Titles as written, without a template's placeholders. Throws if the text is not valid TypeScript. */
export function testTitles(path: string, text: string): string[] {
  const { program, errors } = parseSync(path, text)
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`)
  const titles: string[] = []
  visit(program as unknown as Node)
  return titles

  function visit(node: Node): void {
    if (node.type === 'CallExpression' && isTest(node.callee)) {
      const [title] = Array.isArray(node.arguments) ? node.arguments : []
      const words = isNode(title) ? wordsOf(title) : undefined
      if (words !== undefined) titles.push(words)
    }
    for (const value of Object.values(node)) for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** `test`, `test.describe`, `describe.each(rows)` and the like, unless skipped. */
function isTest(callee: unknown): boolean {
  if (!isNode(callee)) return false
  if (callee.type === 'Identifier') return callee.name === 'test' || callee.name === 'describe'
  if (callee.type === 'CallExpression') return isTest(callee.callee)
  if (callee.type !== 'MemberExpression' || !isNode(callee.property)) return false
  return isTest(callee.object) && !['skip', 'todo', 'fixme', 'failing'].includes(String(callee.property.name))
}

function wordsOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return undefined
  return node.quasis.map((quasi: { value: { cooked: string } }) => quasi.value.cooked).join('')
}
