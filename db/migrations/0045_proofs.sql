-- Plans that parley.yaml declares, and sessions whose token changed at a proof. Metadata only.
ALTER TABLE "plans" ADD COLUMN "managed" text DEFAULT 'console' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "token_digest" text;
