/** What can be done with a finished reply. */

import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { say } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice, deleteWithUndo } from '#client/features/playground/text/copy-with-notice.ts'
import { IconButton } from '#client/ui/button.tsx'
import { Menu, type MenuEntry } from '#client/ui/menu.tsx'
import { VersionSwitcher } from './version-switcher.tsx'

export function ReplyActions(props: { bench: PageContext; reply: Reply }) {
  const { bench } = props
  let bar: HTMLSpanElement | undefined
  const goesOn = () => props.reply.state === 'stopped' || props.reply.state === 'interrupted' || props.reply.finish === 'length'
  const items = (): MenuEntry[] => [
    { kind: 'item', icon: 'redo', label: say('regenerateWith'), onSelect: () => openOtherModel(bench, props.reply.id) },
    { kind: 'item', icon: 'text', label: say('copyPlain'), onSelect: () => void copyWithNotice(plainText(props.reply.text)) },
    { kind: 'item', icon: 'pulse', label: say('inspectReply'), onSelect: () => bench.view.inspect(props.reply.id) },
    ...(goesOn()
      ? [
          {
            kind: 'item' as const,
            icon: 'right' as const,
            label: say('continueReply'),
            onSelect: () => bench.actions.send(say('continuePrompt')),
          },
        ]
      : []),
    { kind: 'line' },
    {
      kind: 'item',
      icon: 'trash',
      bad: true,
      label: say('deleteMessage'),
      onSelect: () => bar && deleteWithUndo(bench, props.reply.id, bar),
    },
  ]
  return (
    <span ref={bar} class="acts">
      <VersionSwitcher bench={bench} message={props.reply} />
      <IconButton name="copy" small label={say('copyReply')} onClick={() => void copyWithNotice(props.reply.text)} />
      <IconButton name="redo" small label={say('regenerate')} onClick={() => bench.actions.regenerate(props.reply.id)} />
      <Menu label={say('moreActions')} icon="more" small items={items} />
    </span>
  )
}

/** Asks which model shall answer instead. */
export function openOtherModel(bench: PageContext, reply: string): void {
  bench.view.setOther(reply)
  bench.view.setDialog('other-model')
}

/** Markdown without its marks, as a person would read it aloud. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^ {0,3}(`{3,}|~{3,}).*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^ {0,3}(#{1,6}|>)\s+/gm, '')
    .replace(/(\*\*|__|~~|`)(.+?)\1/g, '$2')
    .replace(/(^|[^\w*])[*_]([^*_\n]+)[*_](?![\w*])/g, '$1$2')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
