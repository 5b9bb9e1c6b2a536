/** Instruments source text with calls that count functions entered, promises awaited and objects made. */
import { parseSync } from 'vite'

/** The counters besides functions. */
export type Counted = 'awaits' | 'objects'

type Node = { type: string; start: number; end: number } & Record<string, unknown>
type Edit = [at: number, opens: boolean, what: string]

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
}

const functions = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/
/** Expressions that allocate an object at each evaluation. A method's function is created once, with its class. */
const making = /^(ObjectExpression|ArrayExpression|NewExpression|ArrowFunctionExpression|FunctionExpression)$/

/**
 * The text with `globalThis.__entered?.(number)` at the beginning of every function, whose name `path:offset` is added to `names`, and
 * `globalThis.__counted?.(what, 'path:line')` before anything that awaits or creates an object, an array, a function or an instance.
 */
export function instrumented(path: string, text: string, names: string[]): string {
  const edits: Edit[] = []
  visit(parseSync(path, text).program as unknown as Node, undefined)
  // From the end; at the same position, openings come after closings.
  edits.sort(([a, aOpens], [b, bOpens]) => b - a || Number(bOpens) - Number(aOpens))
  return edits.reduce((changed, [at, , what]) => changed.slice(0, at) + what + changed.slice(at), text)

  function visit(node: Node, parent: Node | undefined): void {
    if (functions.test(node.type) && isNode(node.body)) enter(node, node.body)
    if (node.type === 'AwaitExpression' && isNode(node.argument)) wrap(node.argument, count('awaits', node))
    if (making.test(node.type) && !isMethod(node, parent)) wrap(node, count('objects', node))
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node)
    }
    // A statement that now begins with a parenthesis would continue the line before it.
    if (node.type === 'ExpressionStatement' && parent?.type === 'BlockStatement') edits.push([node.start, true, ';'])
  }

  function enter({ type, start }: Node, body: Node): void {
    const call = `globalThis.__entered?.(${names.push(`${path}:${start}`) - 1})`
    if (type === 'ArrowFunctionExpression' && body.type !== 'BlockStatement') wrap(body, call)
    else edits.push([body.start + 1, true, `${call};`])
  }

  function count(what: Counted, { start }: Node): string {
    return `globalThis.__counted?.('${what}', '${path}:${text.slice(0, start).split('\n').length}')`
  }

  function wrap({ start, end }: Node, call: string): void {
    edits.push([start, true, `(${call}, `], [end, false, ')'])
  }
}

/** Its text is not an expression by itself, or it is created with its class or object. */
function isMethod(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined || parent.value !== node) return false
  return parent.type === 'MethodDefinition' || (parent.type === 'Property' && (parent.method === true || parent.kind !== 'init'))
}
