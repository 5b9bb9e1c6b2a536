import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { IconButton } from '#client/ui/button.tsx'
import { Menu, type MenuEntry } from '#client/ui/menu.tsx'
import { deleteWithUndo } from './delete-with-undo.ts'
import { VersionSwitcher } from './version-switcher.tsx'

/** Actions on a finished reply. */
export function ReplyActions(props: { page: PageContext; reply: Reply }) {
  const { page } = props
  let bar: HTMLSpanElement | undefined
  const items = (): MenuEntry[] => [
    { kind: 'item', icon: 'redo', label: t('regenerateWith'), onSelect: () => page.view.openRegenerateDialog(props.reply.id) },
    { kind: 'item', icon: 'text', label: t('copyPlain'), onSelect: () => void copyWithNotice(plainText(props.reply.text)) },
    { kind: 'item', icon: 'pulse', label: t('inspectReply'), onSelect: () => page.view.inspect(props.reply.id) },
    ...(goesOn(props.reply)
      ? [
          {
            kind: 'item' as const,
            icon: 'right' as const,
            label: t('continueReply'),
            onSelect: () => page.actions.send(t('continuePrompt')),
          },
        ]
      : []),
    { kind: 'line' },
    {
      kind: 'item',
      icon: 'trash',
      bad: true,
      label: t('deleteMessage'),
      onSelect: () => bar && deleteWithUndo(page, props.reply.id, bar),
    },
  ]
  return (
    <span ref={bar} class="acts">
      <VersionSwitcher page={page} message={props.reply} />
      <IconButton name="copy" small label={t('copyReply')} onClick={() => void copyWithNotice(props.reply.text)} />
      <IconButton name="redo" small label={t('regenerate')} onClick={() => page.actions.regenerate(props.reply.id)} />
      <Menu label={t('moreActions')} icon="more" small items={items} />
    </span>
  )
}

/** Whether a reply ended before it was complete, so that the model can be asked to continue. */
export const goesOn = (reply: Reply): boolean =>
  reply.state === 'stopped' || reply.state === 'interrupted' || (reply.state === 'complete' && reply.finish === 'length')

/** Markdown without its markup. */
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
