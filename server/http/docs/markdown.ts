/** The reference as Markdown, for language models: `/llms.txt` lists the pages, `/docs/ID.md` is one. */
import type { DocEndpoint, DocField, DocPage, Docs } from '#shared/console/docs'

/** The list of pages. `origin` is the address at which clients reach Parley. */
export function llmsText({ version, pages }: Docs, origin: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  const lines = groups.flatMap((group) => [
    `## ${group}`,
    '',
    ...pages
      .filter((page) => page.group === group)
      .map(({ id, title, endpoints }) => `- [${title}](${origin}/docs/${id}.md)${listOf(endpoints)}`),
    '',
  ])
  const intro = `# Parley\n\n> One API for every AI model, in the protocol that the client already uses. Version ${version}. OpenAPI 3.1: ${origin}/openapi.json\n`
  return `${intro}\n${lines.join('\n')}`
}

const listOf = (endpoints: readonly DocEndpoint[]) =>
  endpoints.length === 0 ? '' : `: ${endpoints.map(({ method, path }) => `${method} ${path}`).join(', ')}`

/** One page. */
export function pageText({ title, html, endpoints }: DocPage): string {
  return [`# ${title}`, markdownOf(html), ...endpoints.map(endpointText)]
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .concat('\n')
}

function endpointText({ method, path, summary, html, takes, gives, errors, samples }: DocEndpoint): string {
  const refusals = errors.length === 0 ? '' : `Errors: ${errors.map((one) => `\`${one}\``).join(', ')}`
  const code = samples.map(({ language, text, note }) => `${note ?? language}:\n\n\`\`\`\n${text}\n\`\`\``)
  return [
    `## ${method} ${path}`,
    `${summary}.`,
    markdownOf(html),
    fieldTable('Body', takes),
    fieldTable('Answer', gives),
    refusals,
    ...code,
  ].join('\n\n')
}

function fieldTable(title: string, fields: readonly DocField[]): string {
  if (fields.length === 0) return ''
  const rows = fields.map(
    ({ path, type, required, means }) => `| \`${path}\` | ${cell(type)} | ${required ? 'yes' : ''} | ${cell(means)} |`,
  )
  return [`### ${title}`, '', '| Field | Type | Required | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const cell = (text: string) => text.replaceAll('|', '\\|')

/** Converts this room's HTML, which uses few elements, to Markdown. */
export function markdownOf(html: string): string {
  const text = html
    .replace(/<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g, (_, code: string) => `\n\`\`\`\n${code}\n\`\`\`\n`)
    .replace(/<table>([\s\S]*?)<\/table>/g, (_, rows: string) => tableText(rows))
    .replace(/<h3[^>]*>(.*?)<\/h3>/g, '\n## $1\n')
    .replace(/<h4[^>]*>(.*?)<\/h4>/g, '\n### $1\n')
    .replace(/<li[^>]*>/g, '- ')
    .replace(/<\/li>/g, '\n')
    .replace(/<\/?(p|ul|ol|div|section|details|summary|span)\b[^>]*>/g, '\n')
    .replace(/<br>/g, ' ')
    .replace(/<a href="([^"]*)">(.*?)<\/a>/g, '[$2]($1)')
    .replace(/<\/?code>/g, '`')
    .replace(/<\/?strong>/g, '**')
    .replace(/<\/?em>/g, '*')
    .replace(/<[^>]+>/g, '')
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function tableText(rows: string): string {
  const lines = [...rows.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, text = '']) => cell(text.trim())).join(' | '),
  )
  const [head = '', ...body] = lines
  const rule = head
    .split(' | ')
    .map(() => '---')
    .join(' | ')
  return `\n${[head, rule, ...body].map((line) => `| ${line} |`).join('\n')}\n`
}
