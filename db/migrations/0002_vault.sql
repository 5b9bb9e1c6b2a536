CREATE TABLE "recollections" (
	"tenant" text NOT NULL,
	"key" text NOT NULL,
	"sealed" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "recollections_tenant_key_pk" PRIMARY KEY("tenant","key")
);
--> statement-breakpoint
CREATE TABLE "stored_responses" (
	"id" text NOT NULL,
	"tenant" text NOT NULL,
	"previous_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "stored_responses_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
ALTER TABLE "stored_responses" ADD CONSTRAINT "stored_responses_tenant_users_id_fk" FOREIGN KEY ("tenant") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recollections_expires" ON "recollections" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "stored_responses_expires" ON "stored_responses" USING btree ("expires_at");