/** The composer at the foot of the conversation, with what the open conversation means for it. */
import { createSignal } from 'solid-js'
import { say } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Composer, type ComposerHandle } from './composer.tsx'
import { ContextUsage } from './context-usage.tsx'
import { GroupAndModel } from './group-and-model.tsx'

export function ConversationComposer(props: { bench: PageContext; handle(handle: ComposerHandle): void }) {
  const { desk, actions, view } = props.bench
  const [handle, setHandle] = createSignal<ComposerHandle | undefined>()
  const isFree = () => {
    const of = desk.target()
    const price = of ? desk.catalogue.model(of.group, of.model)?.price : undefined
    return Number(price?.input ?? 1) === 0 && Number(price?.output ?? 1) === 0
  }
  const blocked = () => {
    if (desk.target() === null) return say('noModelYet')
    if (!isFree() && Number(desk.user().balance) - Number(desk.user().held) <= 0) return say('noBalance')
    return desk.messagesState() === 'loading' ? say('stillLoading') : undefined
  }
  return (
    <div class="dock" id="composer">
      <Composer
        of={desk.conversation().id}
        draft={desk.conversation().draft}
        placeholder={desk.modelLocked() ? say('ask') : say('messageModel', { model: desk.target()?.model ?? say('aModel') })}
        running={desk.running() !== undefined}
        blocked={blocked()}
        enterSends={view.enterSends()}
        choices={<GroupAndModel desk={desk} actions={actions} />}
        onDraft={actions.keepDraft}
        onSend={(text) => actions.send(text)}
        onStop={() => {
          const running = desk.running()
          if (running) desk.replies.stop(running.id)
        }}
        onEditLast={() => {
          const last = desk.path().findLast((message) => message.role === 'user')
          if (last) props.bench.setEditedMessage(last.id)
        }}
        handle={(made) => {
          setHandle(made)
          props.handle(made)
        }}
      />
      <ContextUsage desk={desk} draft={handle()?.text() ?? ''} />
    </div>
  )
}
